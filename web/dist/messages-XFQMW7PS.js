import{a,b,c}from"./chunk-KPOTTLSI.js";import"./chunk-SM5NGPOV.js";c();export{a as default,b as useLate};
