import{d as a,e as b,f as c}from"./chunk-4UBRE5OE.js";import"./chunk-SJI7JSFR.js";import"./chunk-IBYTDGD7.js";import"./chunk-DYMB5BLE.js";c();export{a as default,b as enters};
