import{a,b,c}from"./chunk-7YQG5EBQ.js";import"./chunk-U3GKYPL2.js";c();export{b as default,a as tabs};
