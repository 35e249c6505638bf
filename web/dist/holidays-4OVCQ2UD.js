import{a,b,c}from"./chunk-A5CQNL5H.js";import"./chunk-IFBMSAJ3.js";import"./chunk-ATN5YYTP.js";import"./chunk-7A7DVSNE.js";import"./chunk-WTA7P345.js";c();export{a as CalendarTabs,b as default};
