// SPDX-License-Identifier: GPL-3.0-or-later
/* plist against a plain sorted array, over random insertions and removals. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "futex/plist.h"

enum { NODES = 12, STEPS = 20000, PRIOS = 4 };

static struct plist_node node[NODES];
static struct plist_head head; /* zero: never used */
static int order[NODES];       /* what the list should be, by index */
static int count;

static int prio_of(int index)
{
	return plat_locked_read(&node[index].prio);
}

static void model_add(int index)
{
	int at = count++;

	while (at > 0 && prio_of(order[at - 1]) > prio_of(index)) {
		order[at] = order[at - 1];
		at--;
	}
	order[at] = index;
}

static int model_find(int index)
{
	for (int at = 0; at < count; at++)
		if (order[at] == index)
			return at;
	return -1;
}

static void model_del(int at)
{
	count--;
	for (; at < count; at++)
		order[at] = order[at + 1];
}

static void assert_nodes(void)
{
	struct list_head *list = plist_first(&head);

	for (int i = 0; i < count; i++) {
		assert_non_null(list);
		assert_ptr_equal(plist_entry(list, node_list), &node[order[i]]);
		list = plist_next(&head, list);
	}
	assert_null(list);
	assert_int_equal(plist_head_empty(&head), count == 0);
}

/* The first of each priority, in order, and around. */
static void assert_priorities(void)
{
	struct list_head *list = count ? &node[order[0]].prio_list : NULL;

	for (int i = 0; i < count; i++) {
		bool first = i == 0 || prio_of(order[i]) != prio_of(order[i - 1]);

		if (first) {
			assert_ptr_equal(plist_entry(list, prio_list), &node[order[i]]);
			list = list_next(list);
		} else {
			assert_ptr_equal(list_next(&node[order[i]].prio_list),
					 &node[order[i]].prio_list);
		}
	}
	if (count)
		assert_ptr_equal(list, &node[order[0]].prio_list);
}

static void add(int index, int prio)
{
	plist_node_init(&node[index], prio);
	assert_true(plist_node_empty(&node[index]));
	plist_add(&node[index], prio, &head);
	assert_false(plist_node_empty(&node[index]));
	model_add(index);
}

static void del(int at)
{
	int index = order[at];

	plist_del(&node[index], &head);
	assert_true(plist_node_empty(&node[index]));
	model_del(at);
}

static void test_random(void **state)
{
	(void)state;
	srand(1);
	for (int step = 0; step < STEPS; step++) {
		int index = rand() % NODES;
		int at = model_find(index);

		if (at < 0)
			add(index, 97 + rand() % PRIOS);
		else
			del(at);
		assert_nodes();
		assert_priorities();
	}
	while (count)
		del(0);
	assert_nodes();
}

/* As all tasks that are not real-time are. */
static void test_first_come_first_served(void **state)
{
	(void)state;
	for (int i = 0; i < NODES; i++)
		add(i, PLAT_PRIO_RT_END);
	for (int i = 0; i < NODES; i++) {
		assert_int_equal(order[0], i);
		assert_nodes();
		assert_priorities();
		del(0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_first_come_first_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
