/* SPDX-License-Identifier: MIT */
/* C++ names as people say them. What a template's arguments are by default, inline namespaces and
 * the names of clones are left out; what is still too long has its innermost arguments folded:
 *
 *   std::map<std::string, int>::insert   for   std::map<std::__cxx11::basic_string<char,
 *       std::char_traits<char>, std::allocator<char> >, int, std::less<...>, ...>::insert
 *   Solver<...>::step(...)               for what would be a screen of arguments */
#ifndef PREPLAY_REPORT_SHORT_NAME_H
#define PREPLAY_REPORT_SHORT_NAME_H

enum { SHORT_NAME_LENGTH = 80 };

/* Of a demangled name, malloc-ed; at most SHORT_NAME_LENGTH bytes unless it is no C++ name. */
char *short_name(const char *name);

#endif
