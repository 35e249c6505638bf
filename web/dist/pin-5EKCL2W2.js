import{a,b,c}from"./chunk-556XOIDL.js";import"./chunk-O2OVPS25.js";c();export{a as SetPIN,b as default};
