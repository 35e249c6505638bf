import{a,b,c}from"./chunk-FENINKGU.js";import"./chunk-DYMB5BLE.js";c();export{b as default,a as tabs};
