/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include "engine.h"

/* Warm-up is looked at in growing steps, so that overshoot stays below a half. */
static const sim_time first_step = 10 * SIM_US;

static bool told_to_stop(struct measure *m, sim_time now)
{
	double done, precision;

	if (!m->progress)
		return false;
	done = (double)now / (double)m->limit;
	if (m->batches.count >= 2) {
		struct estimate e = batch_means_estimate(&m->batches, m->confidence);

		precision = e.half_width > 0 ? m->precision * e.mean / e.half_width : 1;
		/* Work left shrinks with the square of the interval's width. */
		precision *= precision;
		precision *=
			m->batches.count < BATCHES_MIN ? (double)m->batches.count / BATCHES_MIN : 1;
		done = precision > done ? precision : done;
	}
	m->interrupted = !m->progress(m->arg, done < 1 ? done : 1);
	return m->interrupted;
}

static void end(struct measure *m, sim_time now)
{
	m->ended = now;
	sim_stop();
}

static void batch_over(void *arg, sim_time now)
{
	struct measure *m = arg;
	uint64_t count = m->count(m->arg);

	batch_means_add(&m->batches, count - m->counted);
	m->counted = count;
	m->reached = batch_means_precise(&m->batches, m->precision, m->confidence);
	if (m->reached || now + m->interval > m->limit || told_to_stop(m, now))
		end(m, now);
	else
		sim_timer_set(now + m->interval, batch_over, m);
}

static void start_batches(struct measure *m, sim_time now)
{
	m->start(m->arg, now);
	m->began = now;
	m->counted = m->counted_at_start = m->count(m->arg);
	/* The least number of batches then takes as long as the warm-up did. */
	m->interval = now / BATCHES_MIN + 1;
	sim_timer_set(now + m->interval, batch_over, m);
}

static void warming(void *arg, sim_time now)
{
	struct measure *m = arg;

	/* Half of the time is kept for measuring, come what may. */
	if (m->warm(m->arg) || now >= m->limit / 2) {
		start_batches(m, now);
		return;
	}
	m->step += m->step / 2;
	if (told_to_stop(m, now))
		end(m, now);
	else
		sim_timer_set(now + m->step < m->limit / 2 ? now + m->step : m->limit / 2, warming,
			      m);
}

void measure_begin(struct measure *m)
{
	batch_means_init(&m->batches);
	m->step = first_step;
	m->reached = m->interrupted = false;
	m->began = m->ended = 0;
	sim_timer_set(m->step < m->limit / 2 ? m->step : m->limit / 2, warming, m);
}

double measure_rate(const struct measure *m)
{
	if (m->ended <= m->began)
		return 0;
	return (double)(m->counted - m->counted_at_start) / (double)(m->ended - m->began);
}

double measure_half_width(const struct measure *m)
{
	return batch_means_estimate(&m->batches, m->confidence).half_width / (double)m->interval;
}
