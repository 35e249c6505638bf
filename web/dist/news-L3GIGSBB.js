import{a,b,c}from"./chunk-GVXUK4RW.js";import"./chunk-4FJQJHQU.js";c();export{b as default,a as tabs};
