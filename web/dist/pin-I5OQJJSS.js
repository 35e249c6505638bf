import{a,b,c}from"./chunk-RJ7ASIW4.js";import"./chunk-VTR327EJ.js";c();export{a as SetPIN,b as default};
