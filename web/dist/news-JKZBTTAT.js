import{a,b,c}from"./chunk-JVOEEHWW.js";import"./chunk-IIKMONSJ.js";c();export{b as default,a as tabs};
