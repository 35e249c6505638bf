import{a,b,c}from"./chunk-4FKP5SUH.js";import"./chunk-4FJQJHQU.js";c();export{a as default,b as useLate};
