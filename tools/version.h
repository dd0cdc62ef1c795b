/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FUTEXSIM_VERSION comes from the build. */
#ifndef FUTEXSIM_TOOLS_VERSION_H
#define FUTEXSIM_TOOLS_VERSION_H

#ifndef FUTEXSIM_VERSION
#define FUTEXSIM_VERSION "unversioned"
#endif

#endif
