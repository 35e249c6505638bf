import{a,b,c}from"./chunk-XNJZDUH6.js";import"./chunk-HCVERMU2.js";c();export{a as SetPIN,b as default};
