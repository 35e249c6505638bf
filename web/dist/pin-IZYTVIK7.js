import{a,b,c}from"./chunk-543NLA2A.js";import"./chunk-BYYGTQDX.js";c();export{a as SetPIN,b as default};
