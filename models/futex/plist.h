/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's priority-sorted list (kernel v7.3 lib/plist.c, include/linux/list.h):
 * every node is in node_list; the first node of each priority is in prio_list too,
 * so that finding a place passes over priorities, not nodes. Equal priorities keep
 * the order of arrival. Everything here is under the list's lock, but for
 * plist_node_empty() and plist_head_empty(), which look without it.
 */
#ifndef FUTEXSIM_FUTEX_PLIST_H
#define FUTEXSIM_FUTEX_PLIST_H

#include "platform.h"

struct list_head {
	_Atomic(struct list_head *) next;
	PLAT_LOCKED(struct list_head *) prev;
};

struct plist_node {
	PLAT_LOCKED(int32_t) prio;
	struct list_head prio_list;
	struct list_head node_list;
};

/* Empty when it points to itself, or is zero and was never used. */
struct plist_head {
	struct list_head node_list;
};

#define plist_entry(list, member)                                                                  \
	((struct plist_node *)(void *)((unsigned char *)(list)-offsetof(struct plist_node, member)))

PLAT_INLINE struct list_head *list_next(struct list_head *list)
{
	return plat_read_once(&list->next);
}

/* The first node's node_list, or NULL; one load. */
PLAT_INLINE struct list_head *plist_first(struct plist_head *head)
{
	struct list_head *first = list_next(&head->node_list);

	return first == &head->node_list ? NULL : first;
}

PLAT_INLINE bool plist_head_empty(struct plist_head *head)
{
	return plist_first(head) == NULL;
}

/* True once plist_del() has taken it out. */
PLAT_INLINE bool plist_node_empty(struct plist_node *node)
{
	return list_next(&node->node_list) == &node->node_list;
}

/* The node after it, or NULL at the end of the list. */
PLAT_INLINE struct list_head *plist_next(struct plist_head *head, struct list_head *list)
{
	struct list_head *next = list_next(list);

	return next == &head->node_list ? NULL : next;
}

void plist_node_init(struct plist_node *node, int32_t prio);
/* `prio`: that of plist_node_init(). */
void plist_add(struct plist_node *node, int32_t prio, struct plist_head *head);
void plist_del(struct plist_node *node, struct plist_head *head);

#endif
