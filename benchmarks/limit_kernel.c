/* Twelve metrics of two classes with nothing but the work: keys with the class in the last bit, sorted by the digits
   of their 33 leading bits, put right where these are equal, and gone up once. Scores between 0 and 1, no checks. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 3, VALUES = 1 << DIGIT, FEW = 24 };

static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void insert(uint64_t *keys, int64_t rows) {
    for (int64_t row = 1; row < rows; row++) {
        uint64_t key = keys[row];
        int64_t place = row;
        for (; place > 0 && keys[place - 1] > key; place--) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

/* Digits below the leading bits were not sorted by: each run of equal leading bits is sorted by itself. */
static void finish(uint64_t *keys, int64_t rows, int shift) {
    for (int64_t first = 0, last; first < rows; first = last) {
        uint64_t leading = keys[first] >> shift;
        for (last = first + 1; last < rows && keys[last] >> shift == leading; last++) {}
        if (last - first <= FEW) insert(keys + first, last - first);
        else qsort(keys + first, last - first, sizeof *keys, by_key);
    }
}

static uint64_t *sorted(uint64_t *keys, uint64_t *spare, int64_t rows, uint64_t largest) {
    static int64_t ends[DIGITS][VALUES];
    int bits = 64 - __builtin_clzll(largest | 1), lowest = bits > DIGIT * DIGITS ? bits - DIGIT * DIGITS : 0;
    memset(ends, 0, sizeof ends);
    for (int64_t row = 0; row < rows; row++)
        for (int digit = 0; digit < DIGITS; digit++)
            ends[digit][keys[row] >> (lowest + DIGIT * digit) & (VALUES - 1)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        int64_t before = 0, shift = lowest + DIGIT * digit;
        for (int value = 0; value < VALUES; value++) {
            int64_t here = ends[digit][value];
            ends[digit][value] = before;
            before += here;
        }
        for (int64_t row = 0; row < rows; row++)
            spare[ends[digit][keys[row] >> shift & (VALUES - 1)]++] = keys[row];
        uint64_t *other = keys;
        keys = spare;
        spare = other;
    }
    if (lowest) finish(keys, rows, lowest);
    return keys;
}

/* cells: tn, fp, fn, tp; sums: pairs in order, precision summed over the positives, squared errors, surprise. */
void summarise(const int64_t *truth, const double *scores, int64_t rows, uint64_t *keys, uint64_t *spare,
               int64_t *cells, double *sums) {
    uint64_t least = UINT64_MAX, largest = 0;
    double squares = 0, surprise = 0, pairs = 0, precision = 0;
    for (int64_t row = 0; row < rows; row++) {
        double score = scores[row], error = score - (double)truth[row];
        memcpy(&keys[row], &score, sizeof score);
        keys[row] = keys[row] << 1 | (uint64_t)truth[row];
        if (keys[row] < least) least = keys[row];
        if (keys[row] > largest) largest = keys[row];
        cells[2 * truth[row] + (score >= 0.5)]++;
        squares += error * error;
        surprise -= log(truth[row] ? score : 1 - score);
    }
    least &= ~(uint64_t)1;
    for (int64_t row = 0; row < rows; row++) keys[row] -= least;
    keys = sorted(keys, spare, rows, largest - least);
    int64_t tp = cells[2] + cells[3], fp = 0;
    for (int64_t first = 0, last; first < rows; first = last) {
        int64_t positives = 0;
        for (last = first; last < rows && keys[last] >> 1 == keys[first] >> 1; last++) positives += keys[last] & 1;
        int64_t negatives = last - first - positives;
        pairs += (double)positives * ((double)fp + (double)negatives / 2);
        precision += (double)positives * (double)tp / (double)(rows - first);
        tp -= positives;
        fp += negatives;
    }
    sums[0] = pairs, sums[1] = precision, sums[2] = squares, sums[3] = surprise;
}
