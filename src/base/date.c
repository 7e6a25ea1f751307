#include "base/date.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

bool date_exists(struct date date)
{
    return date.year >= 1 && date.year <= 9999 && date.month >= 1 && date.month <= 12 &&
           date.day >= 1 && date.day <= days_in_month(date.year, date.month);
}

/*
 * Counts from 1 March of the year 0 in eras of 400 years, so that the leap day is the last of its
 * year: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
 */
struct date date_from_postgres(int32_t days)
{
    enum { DAYS_PER_ERA = 146097, DAYS_TO_2000 = 730425 };
    int64_t count = (int64_t)days + DAYS_TO_2000;
    int64_t era = (count >= 0 ? count : count - DAYS_PER_ERA + 1) / DAYS_PER_ERA;
    int64_t day_of_era = count - era * DAYS_PER_ERA;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    return (struct date){
        .year = (int)(year_of_era + era * 400 + (month <= 2)),
        .month = (int)month,
        .day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1),
    };
}

const char *date_text(struct date date, char text[static DATE_TEXT_SIZE])
{
    snprintf(text, DATE_TEXT_SIZE, "%04d-%02d-%02d", date.year, date.month, date.day);
    return text;
}

const char *date_moment_text(int64_t seconds, char text[static DATE_TEXT_SIZE])
{
    struct tm utc;
    time_t moment = (time_t)seconds;
    gmtime_r(&moment, &utc);
    /* strftime()'s %Y has not always the four digits that RFC 3339 wants. */
    date_text((struct date){utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday}, text);
    size_t length = strlen(text);
    strftime(text + length, DATE_TEXT_SIZE - length, "T%H:%M:%SZ", &utc);
    return text;
}

static int number(const char *digits, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++)
        value = 10 * value + digits[i] - '0';
    return value;
}

bool date_from_text(const char *text, struct date *date)
{
    static const char form[] = "0000-00-00";
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    *date = (struct date){number(text, 4), number(text + 5, 2), number(text + 8, 2)};
    return date_exists(*date);
}
