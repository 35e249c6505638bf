import{a,b,c}from"./chunk-KDMF6525.js";import"./chunk-QTS2PC4Q.js";import"./chunk-7AG2CDJ4.js";import"./chunk-BKNF2RP6.js";import"./chunk-WRJ6R7OA.js";c();export{a as CalendarTabs,b as default};
