import{a,b,c}from"./chunk-4BU7BKCT.js";import"./chunk-VTR327EJ.js";c();export{b as Push,a as renewPush};
