/* SPDX-License-Identifier: MIT */
#include "search/walls.h"

static bool is_behind(const struct wall *wall, const struct wall *other)
{
    return wall->staying == other->staying && wall->going == other->going &&
           wall->stays <= other->stays && wall->goes >= other->goes;
}

bool walls_refute(const struct walls *walls, struct wall asked)
{
    for (size_t i = 0; i < walls->count; i++)
        if (is_behind(&asked, &walls->items[i]))
            return true;
    return false;
}

void walls_add(struct walls *walls, struct wall wall)
{
    size_t kept = 0;
    if (walls_refute(walls, wall))
        return;
    for (size_t i = 0; i < walls->count; i++)
        if (!is_behind(&walls->items[i], &wall))
            walls->items[kept++] = walls->items[i];
    walls->count = kept;
    array_push(walls, wall);
}
