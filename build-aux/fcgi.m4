# MAPDIARY_CHECK_FCGI: refuses a libfcgi that has CVE-2025-23016, a heap overflow by a variable whose name and value say that
# they have 2^31 - 1 bytes each: their sum wraps around to memory of no bytes. A version number does not tell, as
# distributions mend what they ship without changing it. So libfcgi gets such a variable to read, without the bytes, which
# is safe with any version: one that is mended refuses the lengths, and one that is not goes on to read the name. It finds the
# next packet then, which is the end of the variables, and has nothing to write.
#
# Where programs of the host cannot be run, the cache variable mapdiary_cv_fcgi_refuses_lengths=yes says that the library of
# the host is mended, as upstream is from 2.4.5 on.
AC_DEFUN([MAPDIARY_CHECK_FCGI], [
    mapdiary_saved_CFLAGS=$CFLAGS mapdiary_saved_LIBS=$LIBS
    CFLAGS="$CFLAGS $FCGI_CFLAGS" LIBS="$FCGI_LIBS $LIBS"
    AC_CACHE_CHECK([whether libfcgi has the fix of CVE-2025-23016], [mapdiary_cv_fcgi_refuses_lengths],
        [AC_RUN_IFELSE([AC_LANG_SOURCE([[
            #define _GNU_SOURCE
            #include <fcgiapp.h>
            #include <fcntl.h>
            #include <unistd.h>

            static const char start[] =
                "\1\1\0\1\0\10\0\0" "\0\1\0\0\0\0\0\0"                   /* the begin of a request */
                "\1\4\0\1\0\10\0\0" "\377\377\377\377\377\377\377\377"; /* the two lengths */
            static const char end[] = "\1\4\0\1\0\0\0\0";

            int main(void)
            {
                FCGX_Request request;
                int ends[2], kept;
                char rest;
                alarm(10);
                /* With O_DIRECT, each read(2) gets one of the packets. */
                if (FCGX_Init() != 0 || FCGX_InitRequest(&request, -1, FCGI_FAIL_ACCEPT_ON_INTR) != 0 ||
                    pipe2(ends, O_DIRECT) != 0 || (kept = dup(ends[0])) < 0 ||
                    write(ends[1], start, sizeof start - 1) < 0 || write(ends[1], end, sizeof end - 1) < 0)
                    return 2;
                close(ends[1]);
                request.ipcFd = ends[0];
                request.keepConnection = 1;
                if (FCGX_Accept_r(&request) == 0)
                    return 1;
                return read(kept, &rest, 1) == 1 ? 0 : 1;
            }]])],
            [mapdiary_cv_fcgi_refuses_lengths=yes],
            [mapdiary_cv_fcgi_refuses_lengths=no],
            [AS_IF([$PKG_CONFIG --atleast-version=2.4.5 fcgi],
                [mapdiary_cv_fcgi_refuses_lengths=yes],
                [mapdiary_cv_fcgi_refuses_lengths=no])])])
    CFLAGS=$mapdiary_saved_CFLAGS LIBS=$mapdiary_saved_LIBS
    AS_IF([test "x$mapdiary_cv_fcgi_refuses_lengths" != xyes],
        [AC_MSG_ERROR([libfcgi has CVE-2025-23016, or cannot be run: take 2.4.5, Debian's 2.4.2-2+deb12u1, or later])])
])
