// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Each check is one crew run over a fresh board. A body that sees a promise
 * broken notes the first such failure on the board; all bodies then leave.
 */
#include "lock_validate.h"

#include <inttypes.h>
#include <stdio.h>

enum failure {
	FINE,
	TWO_HOLDERS,
	LOST_COUNT,
	HELD_BUT_FREE,
	FREE_BUT_HELD,
	TRYLOCK_OF_FREE,
	TRYLOCK_OF_HELD,
	WORD_LEFT,
	OVERTAKEN,
	FAILURE_COUNT
};

static const char *const failure_text[FAILURE_COUNT] = {
	[TWO_HOLDERS] = "two holders at once",
	[LOST_COUNT] = "sections do not add up",
	[HELD_BUT_FREE] = "is_locked is false while the lock is held",
	[FREE_BUT_HELD] = "is_locked is true while the lock is free",
	[TRYLOCK_OF_FREE] = "trylock of a free lock failed",
	[TRYLOCK_OF_HELD] = "trylock of a held lock succeeded",
	[WORD_LEFT] = "the word of the idle lock is not the idle one",
	[OVERTAKEN] = "a later waiter overtook an earlier one",
};

/* A lock with what it protects, on lines of its own. */
struct guarded {
	spinlock_t lock;
	PLAT_LOCKED(uint32_t) count;
	_Atomic(uint32_t) owner; /* CPU + 1; marked, to see broken exclusion as such */
};

/* What the bodies of one check write for each other. */
struct marks {
	_Atomic(uint32_t) failure;
	_Atomic(uint32_t) sections;  /* of all bodies, added at their end */
	_Atomic(uint32_t) turn;      /* queue: the call of who may go and wait */
	_Atomic(uint32_t) announced; /* queue: the call of who is about to lock */
	_Atomic(uint32_t) entered;   /* queue: how many were in the section */
	_Atomic(uint32_t) order[LOCK_VALIDATE_CPUS];
};

/* One check, as the bodies see it. They only read it, so it is not shared memory. */
struct board {
	const struct lock_class *lock;
	struct guarded *first, *second;
	struct marks *marks;
	unsigned cpus, rounds;
	uint64_t seed;
};

struct dice {
	uint64_t state;
};

/* splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static unsigned roll(struct dice *dice, unsigned sides)
{
	uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)((z ^ (z >> 31)) >> 33) % sides;
}

static struct dice dice_of(const struct board *board, unsigned index)
{
	struct dice dice = {board->seed * LOCK_VALIDATE_CPUS + index};

	return dice;
}

static void note(struct board *board, enum failure failure)
{
	uint32_t none = FINE;

	atomic_compare_exchange_strong_explicit(&board->marks->failure, &none, failure,
						memory_order_relaxed, memory_order_relaxed);
}

static bool failed(struct board *board)
{
	return plat_read_once(&board->marks->failure) != FINE;
}

/* Mostly short; now and then long enough for everybody else to arrive. */
static void linger(struct dice *dice)
{
	for (unsigned i = roll(dice, 8) ? roll(dice, 4) : 64; i > 0; i--)
		plat_work_cycles(1 + roll(dice, 64));
}

/* ---- The section ------------------------------------------------------------ */

/* To be called with the lock held: notices anybody else inside. */
static void occupy(struct board *board, struct guarded *guarded, struct dice *dice)
{
	uint32_t self = plat_cpu() + 1;
	uint32_t before = plat_read_once(&guarded->owner);
	uint32_t count;

	if (before != 0)
		note(board, TWO_HOLDERS);
	plat_write_once(&guarded->owner, self);
	count = plat_locked_read(&guarded->count);
	linger(dice);
	before = plat_read_once(&guarded->owner);
	if (before != self)
		note(board, TWO_HOLDERS);
	plat_locked_write(&guarded->count, count + 1);
	plat_write_once(&guarded->owner, 0);
}

/* What the holder can find out about its lock. */
static void probe(struct board *board, struct guarded *guarded)
{
	if (!board->lock->is_locked(&guarded->lock))
		note(board, HELD_BUT_FREE);
	if (board->lock->trylock && board->lock->trylock(&guarded->lock))
		note(board, TRYLOCK_OF_HELD);
}

static void visit(struct board *board, struct guarded *guarded, struct dice *dice)
{
	occupy(board, guarded, dice);
	if (roll(dice, 8) == 0)
		probe(board, guarded);
}

/* ---- One CPU alone ------------------------------------------------------------ */

/* A ticket lock keeps counting: idle is served == next. All others: zero. */
static bool word_idle(const struct lock_class *lock, spinlock_t *spinlock)
{
	uint32_t word = plat_read_once(&spinlock->word);

	if (lock == lock_class_of(LOCK_TICKET))
		return (word & 0xffff) == word >> 16;
	return word == 0;
}

static void expect_free(struct board *board, struct guarded *guarded)
{
	if (board->lock->is_locked(&guarded->lock))
		note(board, FREE_BUT_HELD);
	if (!word_idle(board->lock, &guarded->lock))
		note(board, WORD_LEFT);
}

static void alone_trylock(struct board *board, struct dice *dice)
{
	if (!board->lock->trylock(&board->first->lock)) {
		note(board, TRYLOCK_OF_FREE);
		return;
	}
	probe(board, board->first);
	occupy(board, board->first, dice);
	board->lock->unlock(&board->first->lock);
	expect_free(board, board->first);
}

static void alone_body(void *context, unsigned index)
{
	struct board *board = context;
	struct dice dice = dice_of(board, index);

	expect_free(board, board->first);
	for (unsigned i = 0; i < board->rounds && !failed(board); i++) {
		board->lock->lock(&board->first->lock);
		probe(board, board->first);
		occupy(board, board->first, &dice);
		board->lock->unlock(&board->first->lock);
		expect_free(board, board->first);
		if (board->lock->trylock)
			alone_trylock(board, &dice);
	}
	plat_write_once(&board->marks->sections, board->rounds * (board->lock->trylock ? 2 : 1));
}

/* ---- All against all ------------------------------------------------------------ */

/* Takes the lock in one of the two ways. */
static void acquire(struct board *board, struct guarded *guarded, struct dice *dice)
{
	unsigned attempts = board->lock->trylock ? roll(dice, 4) : 0;

	for (; attempts > 0; attempts--) {
		if (board->lock->trylock(&guarded->lock))
			return;
		plat_cpu_relax();
	}
	board->lock->lock(&guarded->lock);
}

static void add_sections(struct board *board, uint32_t sections)
{
	atomic_fetch_add_explicit(&board->marks->sections, sections, memory_order_relaxed);
}

static void exclusion_body(void *context, unsigned index)
{
	struct board *board = context;
	struct dice dice = dice_of(board, index);
	uint32_t done = 0;

	for (; done < board->rounds && !failed(board); done++) {
		acquire(board, board->first, &dice);
		visit(board, board->first, &dice);
		board->lock->unlock(&board->first->lock);
		linger(&dice);
	}
	add_sections(board, done);
}

/* Two locks, always in this order; sometimes only the second, so that it is contended too. */
static void nested_body(void *context, unsigned index)
{
	struct board *board = context;
	struct dice dice = dice_of(board, index);
	uint32_t done = 0;

	for (; done < board->rounds && !failed(board); done++) {
		bool both = roll(&dice, 4) != 0;

		if (both) {
			acquire(board, board->first, &dice);
			visit(board, board->first, &dice);
		}
		acquire(board, board->second, &dice);
		visit(board, board->second, &dice);
		board->lock->unlock(&board->second->lock);
		if (both) {
			add_sections(board, 1);
			board->lock->unlock(&board->first->lock);
		}
	}
	add_sections(board, done);
}

/* ---- A held lock ------------------------------------------------------------------ */

/* CPU 0 holds the lock while all others find it held. */
static void held_holder(struct board *board, struct dice *dice)
{
	board->lock->lock(&board->first->lock);
	plat_write_once(&board->marks->turn, 1);
	for (uint32_t seen = 0; seen < board->cpus - 1;)
		seen = plat_wait_until_changed32(&board->marks->entered, seen);
	occupy(board, board->first, dice);
	board->lock->unlock(&board->first->lock);
	expect_free(board, board->first);
	add_sections(board, 1);
}

static void held_other(struct board *board)
{
	plat_wait_until_changed32(&board->marks->turn, 0);
	for (unsigned i = 0; i < board->rounds / 8; i++)
		probe(board, board->first);
	atomic_fetch_add_explicit(&board->marks->entered, 1, memory_order_release);
}

static void held_body(void *context, unsigned index)
{
	struct board *board = context;
	struct dice dice = dice_of(board, index);

	if (index == 0)
		held_holder(board, &dice);
	else
		held_other(board);
}

/* ---- Queues formed on purpose ------------------------------------------------------- */

static void enter_in_turn(struct board *board, unsigned index, struct dice *dice)
{
	uint32_t position;

	board->lock->lock(&board->first->lock);
	position = plat_read_once(&board->marks->entered);
	if (position < LOCK_VALIDATE_CPUS)
		plat_write_once(&board->marks->order[position], index);
	visit(board, board->first, dice);
	atomic_store_explicit(&board->marks->entered, position + 1, memory_order_release);
	board->lock->unlock(&board->first->lock);
}

/*
 * Returns when the CPU that announced itself has joined the queue. In every lock
 * that is first come, first served, joining changes the word; another lock gets
 * some time instead.
 */
static void wait_until_queued(struct board *board, uint32_t word)
{
	enum { RELAXES = 100 };

	if (board->lock->fifo) {
		plat_wait_until_changed32(&board->first->lock.word, word);
		return;
	}
	for (unsigned i = 0; i < RELAXES; i++) {
		if (plat_read_once(&board->first->lock.word) != word)
			return;
		plat_cpu_relax();
	}
}

/* The number by which CPU `index` is called in a round; never 0. */
static uint32_t call_number(const struct board *board, unsigned round, unsigned index)
{
	return round * board->cpus + index;
}

static void wait_for_value(const _Atomic(uint32_t) *p, uint32_t wanted)
{
	uint32_t seen = atomic_load_explicit(p, memory_order_acquire);

	while (seen != wanted)
		seen = plat_wait_until_changed32(p, seen);
}

static void call_to_queue(struct board *board, uint32_t call)
{
	uint32_t word = plat_read_once(&board->first->lock.word);

	atomic_store_explicit(&board->marks->turn, call, memory_order_release);
	wait_for_value(&board->marks->announced, call);
	wait_until_queued(board, word);
}

static void check_order(struct board *board)
{
	for (unsigned i = 0; i + 1 < board->cpus; i++)
		if (plat_read_once(&board->marks->order[i]) != i + 1)
			note(board, OVERTAKEN);
}

/* The holder comes back at once: a fair lock makes it the last. */
static void queue_holder(struct board *board, unsigned round, struct dice *dice)
{
	plat_write_once(&board->marks->entered, 0);
	board->lock->lock(&board->first->lock);
	for (unsigned i = 1; i < board->cpus; i++)
		call_to_queue(board, call_number(board, round, i));
	occupy(board, board->first, dice);
	board->lock->unlock(&board->first->lock);
	enter_in_turn(board, 0, dice);
	wait_for_value(&board->marks->entered, board->cpus);
	if (board->lock->fifo)
		check_order(board);
}

static void queue_other(struct board *board, unsigned round, unsigned index, struct dice *dice)
{
	uint32_t call = call_number(board, round, index);

	wait_for_value(&board->marks->turn, call);
	atomic_store_explicit(&board->marks->announced, call, memory_order_release);
	enter_in_turn(board, index, dice);
}

/* The last one to leave may still be in its unlock. */
static void expect_free_soon(struct board *board)
{
	spinlock_t *lock = &board->first->lock;
	uint32_t word = plat_read_once(&lock->word);

	while (!word_idle(board->lock, lock))
		word = plat_wait_until_changed32(&lock->word, word);
	expect_free(board, board->first);
}

static void queue_body(void *context, unsigned index)
{
	struct board *board = context;
	struct dice dice = dice_of(board, index);
	unsigned rounds = board->rounds / 8;

	for (unsigned round = 0; round < rounds && !failed(board); round++) {
		if (index == 0) {
			queue_holder(board, round, &dice);
			expect_free_soon(board);
		} else {
			queue_other(board, round, index, &dice);
		}
	}
	add_sections(board, index == 0 ? 2 * rounds : rounds);
}

/* ---- All arrive at once ----------------------------------------------------------------- */

static void herd_holder(struct board *board, unsigned round, struct dice *dice)
{
	enum { RELAXES = 100 };
	uint32_t arrivals = (round + 1) * (board->cpus - 1);

	board->lock->lock(&board->first->lock);
	atomic_store_explicit(&board->marks->turn, round + 1, memory_order_release);
	wait_for_value(&board->marks->announced, arrivals);
	for (unsigned i = 0; i < RELAXES; i++)
		plat_cpu_relax();
	occupy(board, board->first, dice);
	board->lock->unlock(&board->first->lock);
	wait_for_value(&board->marks->entered, arrivals);
	expect_free(board, board->first);
}

static void herd_other(struct board *board, unsigned round, struct dice *dice)
{
	wait_for_value(&board->marks->turn, round + 1);
	atomic_fetch_add_explicit(&board->marks->announced, 1, memory_order_release);
	board->lock->lock(&board->first->lock);
	visit(board, board->first, dice);
	board->lock->unlock(&board->first->lock);
	atomic_fetch_add_explicit(&board->marks->entered, 1, memory_order_release);
}

static void herd_body(void *context, unsigned index)
{
	struct board *board = context;
	struct dice dice = dice_of(board, index);
	unsigned rounds = board->rounds / 8;

	for (unsigned round = 0; round < rounds && !failed(board); round++) {
		if (index == 0)
			herd_holder(board, round, &dice);
		else
			herd_other(board, round, &dice);
	}
	add_sections(board, rounds);
}

/* ---- The whole ------------------------------------------------------------------------ */

struct check {
	const char *name;
	lock_body body;
	bool alone; /* on one CPU */
};

static const struct check checks[] = {
	{"alone", alone_body, true},          {"held", held_body, false},
	{"queue", queue_body, false},         {"herd", herd_body, false},
	{"exclusion", exclusion_body, false}, {"nested", nested_body, false},
};

enum { CHECKS = sizeof(checks) / sizeof(checks[0]) };

static void *alloc_lines(size_t size)
{
	return plat_alloc(size, plat_line_size(), 0);
}

static struct board board_create(const struct lock_validation *v)
{
	return (struct board){
		.lock = v->lock,
		.first = alloc_lines(sizeof(struct guarded)),
		.second = alloc_lines(sizeof(struct guarded)),
		.marks = alloc_lines(sizeof(struct marks)),
		.cpus = v->cpus,
		.rounds = v->rounds,
		.seed = v->seed,
	};
}

static void check_total(struct board *board)
{
	uint32_t first = plat_locked_read(&board->first->count);
	uint32_t second = plat_locked_read(&board->second->count);
	uint32_t sections = plat_read_once(&board->marks->sections);

	if (first + second != sections)
		note(board, LOST_COUNT);
	expect_free(board, board->first);
	expect_free(board, board->second);
}

static const char *verdict(struct board *board, const char *cut_off)
{
	if (!failed(board) && !cut_off)
		check_total(board);
	return failed(board) ? failure_text[plat_read_once(&board->marks->failure)] : cut_off;
}

static const char *describe(const struct lock_validation *v, const char *check, const char *text)
{
	static char description[200];

	snprintf(description, sizeof(description),
		 "%s: %s: %s (%u CPUs, %u rounds, seed %" PRIu64 ")", v->lock->name, check, text,
		 v->cpus, v->rounds, v->seed);
	return description;
}

static const char *validate_check(const struct lock_validation *v, const struct check *check)
{
	unsigned cpus = check->alone ? 1 : v->cpus;
	struct board board;

	v->crew->begin(cpus, v->seed);
	if (v->lock->setup)
		v->lock->setup();
	board = board_create(v);
	return verdict(&board, v->crew->run(check->body, &board, cpus, v->seed));
}

const char *lock_validate(const struct lock_validation *v)
{
	if (v->cpus < 2 || v->cpus > LOCK_VALIDATE_CPUS || v->rounds < 8)
		return describe(v, "arguments", "out of range");
	for (unsigned i = 0; i < CHECKS; i++) {
		const char *broken = validate_check(v, &checks[i]);

		if (broken)
			return describe(v, checks[i].name, broken);
	}
	return NULL;
}
