import{a,b,c}from"./chunk-TASTVRLI.js";import"./chunk-LD4DY4CL.js";import"./chunk-2MMDOMDA.js";import"./chunk-JI42CARG.js";import"./chunk-QIRAC7NQ.js";c();export{a as CalendarTabs,b as default};
