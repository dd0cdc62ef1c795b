// SPDX-License-Identifier: GPL-3.0-or-later
#include "futex/plist.h"

_Static_assert(sizeof(struct plist_node) == 40, "v3.12 .. v7.3 layout");
_Static_assert(offsetof(struct plist_node, prio_list) == 8, "v3.12 .. v7.3 layout");
_Static_assert(offsetof(struct plist_node, node_list) == 24, "v3.12 .. v7.3 layout");

static void list_init(struct list_head *list)
{
	plat_write_once(&list->next, list);
	plat_locked_write(&list->prev, list);
}

/* Before `place`; a head that is zero is a list without elements. */
static void list_insert(struct list_head *list, struct list_head *place)
{
	struct list_head *prev = plat_locked_read(&place->prev);

	if (!prev)
		prev = place;
	plat_locked_write(&place->prev, list);
	plat_write_once(&list->next, place);
	plat_locked_write(&list->prev, prev);
	plat_write_once(&prev->next, list);
}

static void list_remove(struct list_head *list)
{
	struct list_head *prev = plat_locked_read(&list->prev);
	struct list_head *next = list_next(list);

	plat_locked_write(&next->prev, prev);
	plat_write_once(&prev->next, next);
	list_init(list);
}

void plist_node_init(struct plist_node *node, int32_t prio)
{
	plat_locked_write(&node->prio, prio);
	list_init(&node->prio_list);
	list_init(&node->node_list);
}

/* The first of the next priority; after the last comes the first again. */
static struct plist_node *next_priority(struct plist_node *node)
{
	return plist_entry(list_next(&node->prio_list), prio_list);
}

/*
 * What the node goes in front of, with its class linked if it is the first of it.
 * One class: prio and prio_list of the first node are all that is read.
 */
static struct list_head *find_place(struct plist_node *node, int32_t prio, struct plist_head *head,
				    struct plist_node *first)
{
	struct list_head *place = &head->node_list;
	struct plist_node *class = first;
	bool same = false;

	do {
		int32_t class_prio = plat_locked_read(&class->prio);

		if (prio < class_prio) {
			place = &class->node_list;
			break;
		}
		same = class_prio == prio;
		class = next_priority(class);
	} while (class != first);
	if (!same)
		list_insert(&node->prio_list, &class->prio_list);
	return place;
}

PLAT_FN void plist_add(struct plist_node *node, int32_t prio, struct plist_head *head)
{
	struct list_head *first = plist_first(head);
	struct list_head *place = &head->node_list;

	if (first)
		place = find_place(node, prio, head, plist_entry(first, node_list));
	list_insert(&node->node_list, place);
}

/*
 * Its successor takes over as first of the class, unless it is that already, as
 * the first of the next one.
 */
static void leave_class(struct plist_node *node, struct plist_head *head)
{
	struct list_head *after = list_next(&node->node_list);

	if (after != &head->node_list) {
		struct plist_node *heir = plist_entry(after, node_list);

		if (list_next(&heir->prio_list) == &heir->prio_list)
			list_insert(&heir->prio_list, list_next(&node->prio_list));
	}
	list_remove(&node->prio_list);
}

PLAT_FN void plist_del(struct plist_node *node, struct plist_head *head)
{
	if (list_next(&node->prio_list) != &node->prio_list)
		leave_class(node, head);
	list_remove(&node->node_list);
}
