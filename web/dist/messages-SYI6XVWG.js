import{a,b,c}from"./chunk-3652MQUU.js";import"./chunk-EVZR4T6Z.js";c();export{a as default,b as useLate};
