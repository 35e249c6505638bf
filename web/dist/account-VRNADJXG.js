import{a,b,c,d}from"./chunk-MNIXBRV3.js";import"./chunk-7NCQZZ5C.js";import"./chunk-QNNZSPSD.js";d();export{c as Security,a as default,b as identity};
