import{a,b,c}from"./chunk-LGKQ5ZQ4.js";import"./chunk-WMZX6LCI.js";import"./chunk-N5A6VUJA.js";c();export{a as default,b as engine};
