import{a,b,c}from"./chunk-5EBO2QCR.js";import"./chunk-HCVERMU2.js";c();export{a as default,b as useLate};
