/* Quicksort, halves sorted by two threads: irregular array code and recursion. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1500000 };
static int *numbers;

static void sort(int *low, int *high)
{
    while (high - low > 16) {
        int pivot = low[(high - low) / 2];
        int *left = low, *right = high - 1;
        while (left <= right) {
            while (*left < pivot)
                left++;
            while (*right > pivot)
                right--;
            if (left <= right) {
                int number = *left;
                *left++ = *right;
                *right-- = number;
            }
        }
        sort(low, right + 1);
        low = left;
    }
    for (int *at = low + 1; at < high; at++) {
        int number = *at, *to = at;
        for (; to > low && to[-1] > number; to--)
            *to = to[-1];
        *to = number;
    }
}

static void *half(void *argument)
{
    int *start = numbers + (long)argument * (COUNT / 2);
    sort(start, start + COUNT / 2);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    unsigned state = 1;
    numbers = malloc(COUNT * sizeof *numbers);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (int)((state = state * 1664525 + 1013904223) >> 8);
    for (long t = 0; t < 2; t++)
        pthread_create(&threads[t], NULL, half, (void *)t);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    printf("%d %d\n", numbers[0], numbers[COUNT / 2]);
    free(numbers);
    return 0;
}
