import{a,b,c}from"./chunk-TBBCMIRO.js";import"./chunk-LPSQZLXB.js";import"./chunk-UHKGIKSR.js";import"./chunk-2F7YUXKY.js";import"./chunk-UN3BADVL.js";c();export{a as CalendarTabs,b as default};
