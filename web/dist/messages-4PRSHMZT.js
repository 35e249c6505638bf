import{a,b,c}from"./chunk-SZT6QVVV.js";import"./chunk-IIKMONSJ.js";c();export{a as default,b as useLate};
