import{a,b,c}from"./chunk-ZKLPK7BA.js";import"./chunk-HUR3DIF2.js";import"./chunk-XPC6NHDC.js";import"./chunk-2NP4A22Q.js";import"./chunk-3S6HH2FD.js";c();export{a as CalendarTabs,b as default};
