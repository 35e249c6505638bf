import{a,b,c}from"./chunk-RBTIQKPH.js";import"./chunk-BYYGTQDX.js";c();export{b as default,a as tabs};
