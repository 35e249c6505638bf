import{a,b,c}from"./chunk-CXXPQNLX.js";import"./chunk-EFMXWPQZ.js";c();export{b as Push,a as renewPush};
