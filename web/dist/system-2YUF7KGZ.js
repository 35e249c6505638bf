import{a,b,c}from"./chunk-CNWSJGYX.js";import"./chunk-Y4BSQCB3.js";import"./chunk-2WWN6WQ5.js";c();export{a as default,b as engine};
