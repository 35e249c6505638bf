import{a,b,c}from"./chunk-4J3CTK3R.js";import"./chunk-VH63SMTT.js";c();export{b as default,a as tabs};
