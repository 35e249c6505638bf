import{a,b,c}from"./chunk-7NCQZZ5C.js";import"./chunk-QNNZSPSD.js";c();export{a as SetPIN,b as default};
