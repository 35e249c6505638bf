import{a,b,c}from"./chunk-HGWXVLEC.js";import"./chunk-ZSVQMGKL.js";c();export{b as default,a as tabs};
