#pragma once
#include <locale.h>
#include <sys/ioctl.h>
#include <wchar.h>

/* POSIX has it; the header shows it only under feature macros, which would change the types of other modules. */
extern int wcwidth(wchar_t character);

/* Cells of a terminal that a character takes in a locale, -1 when it is not printable. */
static inline int odograph_cell_width(unsigned int scalar, locale_t locale) {
    locale_t previous = uselocale(locale);
    int width = wcwidth((wchar_t)scalar);
    uselocale(previous);
    return width;
}

/* Columns of the terminal behind a descriptor, 0 when it is none; ioctl is variadic, which Swift does not import. */
static inline int odograph_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
