import{a,b,c}from"./chunk-E772ODQN.js";import"./chunk-RZXHXUZY.js";c();export{b as default,a as tabs};
