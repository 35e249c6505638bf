import{a,b,c}from"./chunk-WXW2ZDOH.js";import"./chunk-DKZEZLDA.js";c();export{b as default,a as tabs};
