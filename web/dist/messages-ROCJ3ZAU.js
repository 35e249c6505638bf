import{a,b,c}from"./chunk-5FXLEVZQ.js";import"./chunk-QNNZSPSD.js";c();export{a as default,b as useLate};
