import{a,b,c}from"./chunk-KSEPXCPU.js";import"./chunk-4SB6D7PQ.js";c();export{a as default,b as useLate};
