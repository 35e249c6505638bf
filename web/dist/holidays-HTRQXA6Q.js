import{a,b,c}from"./chunk-ULYQ6FFU.js";import"./chunk-XJT6U77W.js";import"./chunk-DMJLIF2R.js";import"./chunk-PSHI7NFB.js";import"./chunk-QNNZSPSD.js";c();export{a as CalendarTabs,b as default};
