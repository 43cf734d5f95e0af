/* A program that is linked with a library that was built for preplay, and was not itself. */
int plug(int argc, char **argv);

int main(int argc, char **argv)
{
    return plug(argc, argv);
}
