import{a,b,c}from"./chunk-SNQBY6U6.js";import"./chunk-QAZF4DWI.js";import"./chunk-4ZDHRYFU.js";import"./chunk-JS5NJVON.js";import"./chunk-LZA7HITR.js";c();export{a as CalendarTabs,b as default};
