/* The seed's own encoding of locks (section 4.2, equation 4): the owner of a lock
 * is a variable that acquires and releases write and assume values of. Kept for
 * comparison, and to show that what it simplifies to is what the seed prints. */
#include "search/smt_encode.h"

void smt_encode_lock_equations(struct smt_encoding *encoding)
{
    smt_encode_locks(encoding);
}
