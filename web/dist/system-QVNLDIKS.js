import{a,b,c}from"./chunk-FNQV7QHJ.js";import"./chunk-B72YNBOQ.js";import"./chunk-EVZR4T6Z.js";c();export{a as default,b as engine};
