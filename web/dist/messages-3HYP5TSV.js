import{a,b,c}from"./chunk-PYKZ5CXU.js";import"./chunk-REX6MET3.js";c();export{a as default,b as useLate};
