import{a,b,c}from"./chunk-FBA5DYDV.js";import"./chunk-46IXHASG.js";c();export{a as default,b as useLate};
