import{a,b,c}from"./chunk-LYDMKLQQ.js";import"./chunk-O2OVPS25.js";c();export{b as default,a as tabs};
