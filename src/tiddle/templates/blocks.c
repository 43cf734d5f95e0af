
/* An atomic block is a function; the recorder is told besides. */
extern void __preplay_block_begin(const char *label) __attribute__((weak));
extern void __preplay_block_end(const char *label) __attribute__((weak));
#define BLOCK_BEGIN(label) (__preplay_block_begin ? __preplay_block_begin(label) : (void)0)
#define BLOCK_END(label)   (__preplay_block_end ? __preplay_block_end(label) : (void)0)
