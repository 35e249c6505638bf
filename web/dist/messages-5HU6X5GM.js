import{a,b,c}from"./chunk-667QN5QI.js";import"./chunk-BKMNMJ4E.js";c();export{a as default,b as useLate};
