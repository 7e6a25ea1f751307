#include "model/blog.h"

const char *const blog_types[] = {"0_0", "0_1", "0_2", "0_3", "0_4",
                                  "0_5", "0_6", "0_7", "0_8", NULL};
const char *const blog_weathers[] = {"晴空萬里", "狂風暴雨", "陰雨綿綿", "雨過天晴",
                                     "烏雲滿天", "大雪數日", "有彩虹",   NULL};
