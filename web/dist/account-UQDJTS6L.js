import{a,b,c,d}from"./chunk-4OYFOLF3.js";import"./chunk-5Q7POESK.js";import"./chunk-UN3BADVL.js";d();export{c as Security,a as default,b as identity};
